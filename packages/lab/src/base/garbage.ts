/**
 * Collects the garbage of this thread twice. The first collection runs finalizers. The second
 * collection takes the objects that they free. Throws an Error without `--expose-gc`.
 */
export function collectGarbage(): void {
  const { gc } = globalThis
  if (gc === undefined) throw new Error('start this process with --expose-gc')
  gc()
  gc()
}
