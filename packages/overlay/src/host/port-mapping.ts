/**
 * Port mappings on the router (UPnP), by libp2p's own service. This is a module of its own, so that
 * only a node with `portMapping` loads the service. Other nodes never look for a router.
 */
import { uPnPNAT, type UPnPNATComponents } from '@libp2p/upnp-nat'

/** Without AutoNAT nothing else confirms the router's address. */
export const mapPort: (components: UPnPNATComponents) => unknown = uPnPNAT({ autoConfirmAddress: true })
