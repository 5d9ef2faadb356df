/** Pushes one sample to Prometheus: its remote write, version 1, in as few bytes as it takes. */

interface PushedSample {
  readonly name: string
  readonly value: number
  /** Unix ms. */
  readonly at: number
}

/** A whole number in protobuf. */
function varint(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return [...bytes, rest]
}

/** A field of bytes in protobuf. */
function field(number: number, bytes: readonly number[]): number[] {
  return [(number << 3) | 2, ...varint(bytes.length), ...bytes]
}

/** @throws Error if the server refuses the sample */
export async function remoteWrite(url: string, { name, value, at }: PushedSample): Promise<void> {
  const text = (from: string): number[] => [...new TextEncoder().encode(from)]
  const double = [...new Uint8Array(new Float64Array([value]).buffer)]
  const label = field(1, [...field(1, text('__name__')), ...field(2, text(name))])
  const sample = field(2, [(1 << 3) | 1, ...double, 2 << 3, ...varint(at)])
  const message = field(1, [...label, ...sample])
  // Snappy takes a literal of up to 60 bytes behind one byte, and up to 256 behind two.
  const literal = message.length <= 60 ? [(message.length - 1) << 2] : [60 << 2, message.length - 1]
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-encoding': 'snappy', 'content-type': 'application/x-protobuf', 'x-prometheus-remote-write-version': '0.1.0' },
    body: Uint8Array.from([...varint(message.length), ...literal, ...message]),
  })
  if (!response.ok) throw new Error(`remote write: ${response.status} ${await response.text()}`)
}
