import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { parseExactJson } from '../base/exact-json.ts'
import { replaceFile } from '../base/replace-file.ts'
import { messageOf, UsageError } from '../base/usage-error.ts'
import { arrayOf, npyOf, parseNpy } from './npy.ts'
import { asJson } from './result-json.ts'

/**
 * Reads an input: JSON from a `.json` file, `{ shape, data }` from NumPy's `.npy`, and the bytes of
 * any other file.
 * @throws UsageError
 */
export async function readValue(file: string): Promise<unknown> {
  const bytes = await readFile(file).catch((error: unknown) => {
    throw new UsageError(`the input: ${messageOf(error)}`)
  })
  const extension = extname(file).toLowerCase()
  if (extension === '.npy') return parseNpy(bytes, file)
  if (extension !== '.json') return new Uint8Array(bytes)
  try {
    return parseExactJson(bytes.toString('utf8'))
  } catch (error) {
    throw new UsageError(`${file} is no JSON: ${messageOf(error)}`)
  }
}

/**
 * Writes a result. A `.npy` file takes a typed array or `{ shape, data }`. A `.json` file takes any
 * result as JSON. Another file gets bytes as they are, and other results as JSON. Returns the
 * number of bytes.
 * @throws UsageError if the result is no array for `.npy`; any error of the file system
 */
export async function writeValue(file: string, value: unknown): Promise<number> {
  const bytes = bytesOf(extname(file).toLowerCase(), value)
  if (bytes === undefined) throw new UsageError(`the result for ${file} is neither a typed array nor { shape, data }`)
  await replaceFile(file, bytes)
  return bytes.length
}

function bytesOf(extension: string, value: unknown): Uint8Array | undefined {
  if (extension === '.npy') {
    const array = arrayOf(value)
    return array && npyOf(array)
  }
  if (value instanceof Uint8Array && extension !== '.json') return value
  return Buffer.from(`${JSON.stringify(asJson(value), undefined, 2)}\n`)
}
