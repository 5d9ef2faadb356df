import { JelError } from '@jel/protocol'

/** Base class of the errors of services. */
abstract class ServiceError extends JelError {}

/** The name, the definition or the options of a service or a call are not valid. */
export class InvalidServiceError extends ServiceError {
  readonly code = 'INVALID_SERVICE'
}

/** No member of the pool has a service of this name. The message lists similar names. */
export class NoServerError extends ServiceError {
  readonly code = 'NO_SERVER'
}

/**
 * There was no answer in time. The operation may have taken effect, or may still take effect. A
 * replicated service applies the calls of one member with the same key only once.
 */
export class CallTimeoutError extends ServiceError {
  readonly code = 'CALL_TIMEOUT'
}

/** The service refused the call, or failed while it handled it. */
export class CallError extends ServiceError {
  readonly code: string

  /**
   * @param code `CALL_FAILED`: the function of the service threw; `DEGRADED`: there is no backup;
   *   `IN_MINORITY`, `LOG_FULL`, `STATE_TOO_LARGE`, `TOO_MANY_CALLS`: see docs/services.md
   */
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}
