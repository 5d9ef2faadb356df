/**
 * Collects the garbage of this thread. Twice: the first collection runs finalizers, and the second
 * one collects the objects that they free. Throws an Error without `--expose-gc`.
 */
export function collectGarbage(): void {
  const { gc } = globalThis
  if (gc === undefined) throw new Error('start this process with --expose-gc')
  gc()
  gc()
}
