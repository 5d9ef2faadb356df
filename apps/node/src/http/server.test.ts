import { connect } from 'node:net'
import { expect, it, vi } from 'vitest'
import { HttpServer } from './server.ts'

it('one connection too many ends the oldest one, so that the newest is answered', async () => {
  await using server = await HttpServer.open({ host: '127.0.0.1', port: 0 })
  const { hostname, port } = new URL(server.url)
  const ended = new Set<number>()
  const sockets = Array.from({ length: 64 }, (_, number) => {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    return socket.on('close', () => ended.add(number)).resume()
  })
  try {
    await vi.waitUntil(() => sockets.every(({ connecting }) => !connecting))
    const { status } = await fetch(new URL('/health', server.url), { signal: AbortSignal.timeout(5000) })
    // No node is attached yet.
    expect(status).toBe(503)
    await vi.waitUntil(() => ended.size > 0)
    expect(ended.size).toBe(1)
  } finally {
    for (const socket of sockets) socket.destroy()
  }
})
