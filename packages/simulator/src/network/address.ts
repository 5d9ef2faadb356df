import type { Address } from '@jel/protocol'

/** The binary multiaddr `/ip4/10.a.b.c/tcp/4001` of machine number `machine`. */
export function machineAddress(machine: number): Address {
  return Uint8Array.of(4, 10, machine >>> 16, machine >>> 8, machine, 6, 4001 >>> 8, 4001 & 0xff)
}

/** The machine behind an address; undefined if no machine can have it. */
export function machineOf(address: Address): number | undefined {
  if (address.length !== 8 || address[0] !== 4 || address[1] !== 10 || address[5] !== 6) return undefined
  return ((address[2] as number) << 16) | ((address[3] as number) << 8) | (address[4] as number)
}
