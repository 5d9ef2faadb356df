import { readdirSync, readFileSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { cpus, freemem, loadavg, totalmem, uptime } from 'node:os'
import { join } from 'node:path'
import type { Attribute } from '../../core/attribute.ts'

const POWER_SUPPLIES = '/sys/class/power_supply'

/**
 * The attributes of a machine, under OpenTelemetry's names. They are measured only when a member
 * reads them.
 */
export function builtIn(): ReadonlyMap<string, Attribute> {
  const memoryInUse = (): number => totalmem() - freemem()
  const minutes = [1, 5, 15]
  const attributes = new Map<string, Attribute>([
    ['system.cpu.logical.count', { unit: '{cpu}', ttl: 60_000, about: 'processors', read: () => cpus().length }],
    ['system.cpu.utilization', { about: 'busy share of all processors since the last measurement', read: utilization() }],
    ...minutes.map((each, at): [string, Attribute] => [
      `system.cpu.load_average.${each}m`,
      { unit: '{thread}', about: `runnable threads, mean of ${each} min`, read: () => loadavg()[at] ?? 0 },
    ]),
    ['system.memory.limit', { unit: 'By', ttl: 60_000, about: 'memory of the machine', read: totalmem }],
    ['system.memory.usage', { unit: 'By', about: 'memory in use', read: memoryInUse }],
    ['system.memory.utilization', { about: 'share of the memory in use', read: () => memoryInUse() / totalmem() }],
    ...disk(),
    ['system.uptime', { unit: 's', about: 'time since the start of the machine', read: uptime }],
    ['process.memory.usage', { unit: 'By', about: 'memory of this node', read: () => process.memoryUsage.rss() }],
  ])
  const battery = batteryFile()
  if (battery !== undefined) {
    const read = (): number => Number(readFileSync(battery, 'utf8')) / 100
    attributes.set('hw.battery.charge', { about: 'charge of the battery', ttl: 10_000, read })
  }
  return attributes
}

/** Returns a function that measures the busy share of the processors since its last call. */
function utilization(): () => number {
  let before = { busy: 0, all: 0 }
  return () => {
    const sum = { busy: 0, all: 0 }
    for (const { times } of cpus()) {
      const all = times.user + times.nice + times.sys + times.idle + times.irq
      sum.all += all
      sum.busy += all - times.idle
    }
    const share = sum.all === before.all ? 0 : (sum.busy - before.busy) / (sum.all - before.all)
    before = sum
    return share
  }
}

/** The file system of the working directory. */
function disk(): [string, Attribute][] {
  const measure = async (): Promise<{ limit: number; usage: number; utilization: number }> => {
    const { bsize, blocks, bfree, bavail } = await statfs('.')
    const used = blocks - bfree
    // As `df` does: blocks that are reserved for root count neither as used nor as free.
    return { limit: blocks * bsize, usage: used * bsize, utilization: used / Math.max(1, used + bavail) }
  }
  return [
    ['system.filesystem.limit', { unit: 'By', ttl: 60_000, about: 'size of the file system', read: async () => (await measure()).limit }],
    ['system.filesystem.usage', { unit: 'By', about: 'used bytes of the file system', read: async () => (await measure()).usage }],
    [
      'system.filesystem.utilization',
      {
        about: 'used share of the file system',
        read: async () => (await measure()).utilization,
      },
    ],
  ]
}

/** Returns the file that has the charge of the first battery, in percent; undefined: no battery. */
function batteryFile(): string | undefined {
  try {
    const name = readdirSync(POWER_SUPPLIES).find((each) => each.startsWith('BAT'))
    return name === undefined ? undefined : join(POWER_SUPPLIES, name, 'capacity')
  } catch {
    return undefined
  }
}
