/** The module that piscina's threads load. piscina requires a default export. */
import { work } from './work.ts'

// oxlint-disable-next-line import/no-default-export
export default work
