/** The codes of errors about handlers. These errors must not run handlers again. */
export const HANDLER_FAILED = 'HANDLER_FAILED'
export const HANDLER_BACKLOG = 'HANDLER_BACKLOG'
