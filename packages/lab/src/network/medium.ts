/** The network that joins the hosts. */
import type { LabHost } from './host.ts'

export interface Medium {
  /** Resolves when packets flow. */
  readonly ready: Promise<void>
  /** Gives a host its interface, `eth0`, without an address. */
  attach(host: LabHost): void
  /** Pulls a host's plug, or puts it in again. Its kernel notices, unlike a cut. */
  plug(host: LabHost, state: 'up' | 'down'): void
  /** Limits both directions of a host's link, in bits a second; undefined makes it wide again. */
  narrow(host: LabHost, bits: number | undefined): void
  /** Puts the host on this site. */
  locate(host: LabHost, site: number): void
  /** Packets that the medium itself lost, because the machine was too busy. */
  lost(): number
}
