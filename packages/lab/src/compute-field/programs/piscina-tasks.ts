/** The module that piscina's threads load. It wants a default export. */
import { work } from './work.ts'

// oxlint-disable-next-line import/no-default-export
export default work
