import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { InvalidOptionError } from '@jel/jel'
import type { BlobReference } from '../program/blob.ts'
import type { CommandFile } from '../program/command.ts'

/** The files of a command, stored as blobs. */
export interface CommandFiles {
  readonly files: Readonly<Record<string, CommandFile>>
  readonly blobs: readonly BlobReference[]
}

/**
 * Stores the files of a command.
 *
 * @param keep stores one file
 * @throws InvalidOptionError if a file does not exist, or if two files have one name
 */
export async function keepFiles(paths: readonly string[], keep: (path: string) => Promise<BlobReference>): Promise<CommandFiles> {
  const files: Record<string, CommandFile> = {}
  const blobs: BlobReference[] = []
  for (const path of paths) {
    const name = basename(path)
    if (Object.hasOwn(files, name)) throw new InvalidOptionError(`files: two files have the name ${name}`)
    const isFile = await stat(path).then(
      (found) => found.isFile(),
      () => false,
    )
    if (!isFile) throw new InvalidOptionError(`files: there is no file ${path}`)
    const isExecutable = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    )
    const reference = await keep(path)
    files[name] = { blob: reference.blob, isExecutable }
    blobs.push(reference)
  }
  return { files, blobs }
}
