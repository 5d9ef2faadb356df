import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { multiaddr } from '@multiformats/multiaddr'
import { afterEach, expect, test } from 'vitest'
import { startPeer, stopAll } from '../../test/peers.ts'
import { ephemeralIdentity } from '../identity/identity.ts'

afterEach(stopAll)

test('an announced address is dialled over TCP only, and never as a socket of this machine', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'jel-unix-'))
  const path = join(folder, 'docker.sock')
  const heard: string[] = []
  const server = createServer((socket) => socket.on('data', (data) => heard.push(data.toString())).on('error', () => {}))
  await new Promise<void>((resolve) => server.listen(path, resolve))
  try {
    const node = await startPeer()
    const { id } = await ephemeralIdentity()
    const address = multiaddr(`/unix/${encodeURIComponent(path)}`)
    await expect(node.dialer.connect(id, [address.bytes])).rejects.toThrow('no address that can be dialled')
    await expect(node.host.libp2p.dial(address)).rejects.toThrow(Error)
    expect(heard).toEqual([])
  } finally {
    server.close()
    rmSync(folder, { recursive: true })
  }
})
