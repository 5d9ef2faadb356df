import type { Attribute } from '../../core/attribute.ts'

/** The attributes of a machine that a page may read. */
export function builtIn(): ReadonlyMap<string, Attribute> {
  return new Map<string, Attribute>([
    ['system.cpu.logical.count', { unit: '{cpu}', ttl: 60_000, about: 'processors', read: () => navigator.hardwareConcurrency }],
  ])
}
