/**
 * A React application that shows the members of a pool while they come and go. `poolStore` has the
 * form of React's `useSyncExternalStore`. Here React draws on a terminal, by Ink.
 *
 *     npx -y pnpm@12 window farm            # prints its address
 *     npx -y pnpm@12 window farm ADDRESS    # in another terminal
 */
import { joinPool, poolStore, type PoolStore } from '@jel/jel'
import { Box, render, Text } from 'ink'
import { createElement as h, useSyncExternalStore, type ReactElement } from 'react'

function Members({ store, self }: { readonly store: PoolStore; readonly self: string }): ReactElement {
  const { members, reigns } = useSyncExternalStore(store.subscribe, store.getSnapshot)
  const rows = members.map(({ id, location }) => {
    const wins = reigns.filter(({ winner }) => winner.id === id).map(({ election }) => election)
    const words = [id.slice(-8), location, ...wins.map((election) => `leads ${election}`)]
    return h(Text, { key: id, bold: id === self }, words.join('  '))
  })
  return h(Box, { flexDirection: 'column' }, h(Text, { dimColor: true }, `${members.length} members`), ...rows)
}

const [name = 'farm', ...bootstrap] = process.argv.slice(2)
const pool = await joinPool(name, { listen: ['/ip4/127.0.0.1/tcp/0'], bootstrap })
console.log('address', pool.self.addresses[0])
// Without a terminal each state is written below the one before.
const { waitUntilExit } = render(h(Members, { store: poolStore(pool), self: pool.self.id }), { debug: !process.stdout.isTTY })
await waitUntilExit()
await pool.leave()
