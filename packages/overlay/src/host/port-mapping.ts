/**
 * Port mappings on the router (UPnP), by libp2p's own service. A module by itself: only who asks for one loads it, and a node that does not sends nothing to
 * find a router.
 */
import { uPnPNAT, type UPnPNATComponents } from '@libp2p/upnp-nat'

/** Without AutoNAT nobody else confirms what the router says. */
export const mapPort: (components: UPnPNATComponents) => unknown = uPnPNAT({ autoConfirmAddress: true })
