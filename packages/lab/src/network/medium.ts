/** What joins the hosts. */
import type { LabHost } from './host.ts'

export interface Medium {
  /** Resolves when packets flow. */
  readonly ready: Promise<void>
  /** Gives a host its interface, `eth0`, without an address. */
  attach(host: LabHost): void
  /** A host's plug out, or in again: its kernel knows, unlike of a cut. */
  plug(host: LabHost, state: 'up' | 'down'): void
  /** Both directions of a host's link, in bits a second; undefined makes it wide again. */
  narrow(host: LabHost, bits: number | undefined): void
  /** The host stands on this site. */
  locate(host: LabHost, site: number): void
  /** Packets that the medium itself lost, because the machine was too busy. */
  lost(): number
}
