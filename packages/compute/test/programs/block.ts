/** Blocks its thread for this time, ms, as a long computation does. It takes no processor time. */
export function blockFor(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
