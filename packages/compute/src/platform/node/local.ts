/** Computing without a pool. `../browser/local.ts` has the same exports. */
export { computeLocal } from '../../local.ts'
