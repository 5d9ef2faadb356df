/** Measures the costs and the times of watched attributes, with a process for each member. */
import { flag, seconds, someOf, whole } from '../base/settings.ts'
import { areMet, targetTable, type Row } from '../base/targets.ts'
import { bench } from '../bench/bench.ts'
import { provide } from '../network/tools.ts'
import { costs, death } from './costs.ts'
import { cut } from './cut.ts'
import { overview } from './overview.ts'
import { prometheus } from './prometheus.ts'
import { stopped } from './stopped.ts'

const PARTS = ['costs', 'stopped', 'death', 'overview', 'cut', 'prometheus'] as const

export const experiment = bench({
  about: 'watched attributes: what they cost, what a break loses, and how soon an end is known',
  settings: {
    only: someOf(PARTS, 'parts'),
    watchers: whole(10, 'processes that watch 20 attributes of one', 1),
    seconds: seconds(20, 'seconds of each part'),
    stop: seconds(30, 'seconds for which a watcher stands still'),
    cut: seconds(60, 'seconds for which two hosts are cut from each other'),
    offline: flag('install nothing: without Prometheus'),
  },
  notes: 'Exit status 1 if a target is missed. A cut needs Linux, and root or user namespaces.',
  where: ({ only }) => (only.includes('cut') ? 'hosts' : 'network'),
  prepare: ({ only, offline }) => {
    if (only.includes('prometheus') && !offline) provide('prometheus')
    return undefined
  },
  async measure(settings, { folder }): Promise<readonly Row[]> {
    const parts: Record<(typeof PARTS)[number], () => Promise<Row[]>> = {
      costs: async () => await costs(settings.watchers, settings.seconds),
      stopped: async () => await stopped(settings.stop),
      death,
      overview: async () => await overview(settings.seconds),
      cut: async () => await cut(settings.cut),
      prometheus: async () => (settings.offline ? [] : await prometheus(folder)),
    }
    const rows: Row[] = []
    for (const part of PARTS.filter((each) => settings.only.includes(each))) rows.push(...(await parts[part]()))
    return rows
  },
  table: (rows) => targetTable('watched attributes', rows),
  passed: areMet,
})
