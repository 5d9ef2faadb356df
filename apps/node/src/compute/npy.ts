import { UsageError } from '../base/usage-error.ts'

/** The typed arrays, by their dtype in NumPy. All are little-endian. */
const ARRAYS = {
  '|b1': Uint8Array,
  '|u1': Uint8Array,
  '|i1': Int8Array,
  '<u2': Uint16Array,
  '<i2': Int16Array,
  '<u4': Uint32Array,
  '<i4': Int32Array,
  '<u8': BigUint64Array,
  '<i8': BigInt64Array,
  '<f4': Float32Array,
  '<f8': Float64Array,
} as const

type Arrays = typeof ARRAYS
type TypedArray = InstanceType<Arrays[keyof Arrays]>

/** An array of any number of dimensions. Its elements are in C order. */
export interface NdArray {
  readonly shape: readonly number[]
  readonly data: TypedArray
}

const MAGIC = '\x93NUMPY'
/** A header begins after the magic, the version, and its own length. */
const VERSIONS = new Map([
  [1, { begin: 10, lengthOf: (view: DataView) => view.getUint16(8, true) }],
  [2, { begin: 12, lengthOf: (view: DataView) => view.getUint32(8, true) }],
  [3, { begin: 12, lengthOf: (view: DataView) => view.getUint32(8, true) }],
])
const HEADER = /^\{'descr': '([^']+)', 'fortran_order': (True|False), 'shape': \(([\d, ]*)\),? *\}\s*$/u

/**
 * Reads a file of NumPy's format (numpy.lib.format, versions 1 to 3).
 * @throws UsageError for another file, and for an order or a dtype that has no typed array
 */
export function parseNpy(bytes: Uint8Array, name: string): NdArray {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const version = bytes.length < 12 ? undefined : VERSIONS.get(bytes[6] as number)
  if (version === undefined || Buffer.from(bytes.subarray(0, 6)).toString('latin1') !== MAGIC)
    throw new UsageError(`${name} is no .npy file`)
  const begin = version.begin + version.lengthOf(view)
  const header = Buffer.from(bytes.subarray(version.begin, begin)).toString('latin1')
  const [, descr = '', fortran, dimensions = ''] = HEADER.exec(header) ?? []
  if (fortran === undefined) throw new UsageError(`${name}: the header of this .npy file is not understood: ${header.slice(0, 80)}`)
  const Type = (ARRAYS as Readonly<Record<string, Arrays[keyof Arrays] | undefined>>)[descr]
  if (Type === undefined) throw new UsageError(`${name}: dtype ${descr} has no typed array; there are ${Object.keys(ARRAYS).join(' ')}`)
  if (fortran === 'True') throw new UsageError(`${name} is in Fortran's order: save numpy.ascontiguousarray(a)`)
  const shape = dimensions.split(',').flatMap((each) => (each.trim() === '' ? [] : [Number(each)]))
  const size = shape.reduce((product, each) => product * each, 1) * Type.BYTES_PER_ELEMENT
  if (bytes.length - begin !== size) throw new UsageError(`${name} has ${bytes.length - begin} bytes of data, not ${size}`)
  return { shape, data: new Type(new Uint8Array(bytes.subarray(begin)).buffer) }
}

/** Returns the file of an array, as `numpy.load` reads it; undefined if there is no such dtype. */
export function npyOf({ shape, data }: NdArray): Uint8Array | undefined {
  const descr = Object.entries(ARRAYS).findLast(([, Type]) => data.constructor === Type)?.[0]
  if (descr === undefined) return undefined
  const about = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${shape.map((each) => `${each},`).join(' ')}), }`
  // The data begin at a multiple of 64 bytes.
  const header = `${about.padEnd(Math.ceil((about.length + 11) / 64) * 64 - 11)}\n`
  const start = Buffer.from(`${MAGIC}\x01\x00`, 'latin1')
  const length = Buffer.from(Uint16Array.of(header.length).buffer)
  return Buffer.concat([start, length, Buffer.from(header, 'latin1'), new Uint8Array(data.buffer, data.byteOffset, data.byteLength)])
}

/** Returns a value as an array if it is a typed array, or an {@link NdArray}. */
export function arrayOf(value: unknown): NdArray | undefined {
  if (isTyped(value)) return { shape: [value.length], data: value }
  if (typeof value !== 'object' || value === null || !('shape' in value) || !('data' in value)) return undefined
  const { shape, data } = value
  if (!isTyped(data) || !Array.isArray(shape)) return undefined
  const isShape = shape.every((each) => Number.isSafeInteger(each) && (each as number) >= 0)
  const size = (shape as readonly number[]).reduce((product, each) => product * each, 1)
  return isShape && size === data.length ? { shape: shape as number[], data } : undefined
}

function isTyped(value: unknown): value is TypedArray {
  return ArrayBuffer.isView(value) && Object.values(ARRAYS).some((Type) => value.constructor === Type)
}
