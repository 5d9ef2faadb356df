import { generateKeyPair } from '@libp2p/crypto/keys'
import { peerIdFromPrivateKey } from '@libp2p/peer-id'
import { describe, expect, test } from 'vitest'
import { bytes } from '../../test/peers.ts'
import { createServices } from './signatures.ts'

describe('signatures', () => {
  test('are the ones of libp2p, both ways', async () => {
    const key = await generateKeyPair('Ed25519')
    const id = peerIdFromPrivateKey(key).toString()
    const services = createServices(key)
    const signature = services.sign(bytes('fact'))
    expect(signature).toHaveLength(64)
    expect(await key.publicKey.verify(bytes('fact'), signature)).toBe(true)
    expect(services.verify(id, bytes('fact'), await key.sign(bytes('fact')))).toBe(true)
  })

  test('of another key, message or length are invalid, and cause no exception', async () => {
    const [one, two] = [await generateKeyPair('Ed25519'), await generateKeyPair('Ed25519')]
    const services = createServices(one)
    const signature = services.sign(bytes('fact'))
    const id = peerIdFromPrivateKey(one).toString()
    expect(services.verify(id, bytes('fact'), signature)).toBe(true)
    expect(services.verify(id, bytes('lie'), signature)).toBe(false)
    expect(services.verify(peerIdFromPrivateKey(two).toString(), bytes('fact'), signature)).toBe(false)
    expect(services.verify(id, bytes('fact'), signature.subarray(1))).toBe(false)
    expect(services.verify(id, bytes('fact'), new Uint8Array())).toBe(false)
    expect(services.verify('nobody', bytes('fact'), signature)).toBe(false)
    expect(services.verify('', bytes('fact'), signature)).toBe(false)
  })

  test('stay valid with more signers than keys that are kept', async () => {
    const own = createServices(await generateKeyPair('Ed25519'))
    const key = await generateKeyPair('Ed25519')
    const signature = createServices(key).sign(bytes('fact'))
    const id = peerIdFromPrivateKey(key).toString()
    expect(own.verify(id, bytes('fact'), signature)).toBe(true)
    for (let count = 0; count < 2_100; count += 1) {
      own.verify(peerIdFromPrivateKey(await generateKeyPair('Ed25519')).toString(), bytes('fact'), signature)
    }
    expect(own.verify(id, bytes('fact'), signature)).toBe(true)
  })
})
