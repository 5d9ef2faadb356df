import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
/** Collects the garbage of this process. */
export const collectGarbage = runInNewContext('gc') as () => void
