import type { Address } from '@jel/protocol'

/** A change to the addresses of a process: adds an address, or replaces all by a new address. */
export type AddressChange = 'add' | 'replace'

/** The port of the first process of a machine. */
const firstPort = 4001

/**
 * Returns the binary multiaddr `/ip4/10.a.b.c/tcp/<port>` of a process, from the machine's number
 * and the number of the process on the machine.
 */
export function processAddress(machine: number, process = 0): Address {
  const port = firstPort + process
  return Uint8Array.of(4, 10, machine >>> 16, machine >>> 8, machine, 6, port >>> 8, port)
}

/**
 * Returns one number for the machine and process of an address. Returns undefined if no process can
 * have the address.
 */
export function addressKey(address: Address): number | undefined {
  if (address.length !== 8 || address[0] !== 4 || address[1] !== 10 || address[5] !== 6) return undefined
  const machine = ((address[2] as number) << 16) | ((address[3] as number) << 8) | (address[4] as number)
  const port = ((address[6] as number) << 8) | (address[7] as number)
  return port < firstPort ? undefined : processKey(machine, port - firstPort)
}

export function processKey(machine: number, process: number): number {
  return machine * 65_536 + process
}

/** Returns the number of the process on its machine. */
export function processOf(address: Address): number | undefined {
  const key = addressKey(address)
  return key === undefined ? undefined : key % 65_536
}
