/** What a figure was measured on, which is said beside it. */
import { cpus, loadavg, totalmem } from 'node:os'

export function machine(): Record<string, unknown> {
  return {
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    cores: cpus().length,
    processor: cpus()[0]?.model,
    memoryGB: Math.round(totalmem() / 2 ** 30),
    loadAverage: Number(loadavg()[0]?.toFixed(1)),
  }
}
