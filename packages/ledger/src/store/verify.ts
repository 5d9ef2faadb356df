import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import * as v from 'valibot'
import { seatsOf, type Configuration } from '../core/configuration.ts'
import { chain, firstHash, type Digest } from '../core/entry.ts'
import { idOf, type Seat } from '../core/seat.ts'
import { restore, type StoreRecord } from '../core/store.ts'
import { LedgerCorruptError, LedgerFileError } from '../errors.ts'
import { framesOf } from './framing.ts'
import { decodeRecords } from './records.ts'

const LINE_END = 0x0a
/**
 * Maximum bytes of the first line. The line has the name of a pool and an id. A guess: four times
 * the longest.
 */
const MAX_FIRST_LINE = 2048

const digest: Digest = (bytes) => createHash('sha256').update(bytes).digest()
const header = v.object({ format: v.literal('jel-ledger/1'), pool: v.string(), id: v.string() })

/** The content of the file of a ledger, after a check of the whole file. */
export interface VerifiedFile {
  readonly pool: string
  /** The id of the member that wrote the file. */
  readonly id: string
  readonly ledger: string
  readonly seat: Seat
  /** The highest term that the seat has taken part in. */
  readonly term: number
  /** The seat that got the vote of this term. */
  readonly votedFor: Seat | undefined
  /** The last entry that a snapshot has replaced. 0: there is no such entry. */
  readonly snapshotIndex: number
  readonly lastIndex: number
  /** Names the last entry and all before it. */
  readonly lastHash: string
  readonly configuration: Configuration
  /** The seats that the configuration names. */
  readonly voters: readonly Seat[]
  /**
   * Bytes after the last whole write: a crash interrupted the next one. The next start removes
   * them.
   */
  readonly torn: number
}

/**
 * Checks a file `<identityFile>.ledger`: its frames with their checksums, its records, and the hash
 * of each entry, which covers all entries before it. Only reads the file: a member may be using it.
 *
 * @throws LedgerFileError for a file that can't be read, or that is no file of a ledger;
 *   LedgerCorruptError for a damaged one
 */
export async function verifyFile(path: string): Promise<VerifiedFile> {
  const bytes = await read(path)
  const { pool, id, start } = headerOf(bytes, path)
  const { frames, end } = framesOf(bytes, start, (at) => new LedgerCorruptError(`${path} is damaged at byte ${at}`))
  const records = frames.flatMap((each, index) => {
    const decoded = decodeRecords(each)
    if (decoded === undefined) throw new LedgerCorruptError(`${path} has records of an unknown form in its write ${index + 1}`)
    return decoded
  })
  const problem = problemOf(records, id)
  if (problem !== undefined) throw new LedgerCorruptError(`${path} ${problem}`)
  const durable = restore(records)
  if (durable === undefined) throw new LedgerCorruptError(`${path} has no whole write`)
  const { ledger, seat, term, votedFor, log } = durable
  const { configuration } = log.latest
  return {
    pool,
    id,
    ledger,
    seat,
    term: Math.max(term, log.lastTerm),
    votedFor,
    snapshotIndex: log.snapshot.index,
    lastIndex: log.lastIndex,
    lastHash: log.lastHash,
    configuration,
    voters: seatsOf(configuration),
    torn: bytes.length - end,
  }
}

async function read(path: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (error) {
    throw new LedgerFileError(`can't read ${path}: ${(error as Error).message}`, { cause: error })
  }
}

function headerOf(bytes: Buffer, path: string): { readonly pool: string; readonly id: string; readonly start: number } {
  const end = bytes.subarray(0, MAX_FIRST_LINE).indexOf(LINE_END)
  try {
    return { ...v.parse(header, JSON.parse(bytes.toString('utf8', 0, Math.max(0, end)))), start: end + 1 }
  } catch (error) {
    throw new LedgerFileError(`${path} is no file of a ledger: its first line is of another form`, { cause: error })
  }
}

/**
 * Returns the problem of the first record that does not fit those before it. Undefined: all records
 * fit.
 */
function problemOf([first, ...others]: readonly StoreRecord[], id: string): string | undefined {
  if (first === undefined) return undefined
  if (first.type !== 'seat' || idOf(first.seat) !== id) return 'does not begin with a seat of its member'
  if (first.snapshot.index === 0 && first.snapshot.hash !== firstHash(digest, first.ledger)) return 'has another beginning than its ledger'
  const durable = restore([first])
  if (durable === undefined) return undefined
  const { log } = durable
  for (const record of others) {
    if (record.type === 'snapshot') log.install(record.snapshot)
    if (record.type !== 'entries') continue
    const before = log.hashAt(record.first - 1)
    if (before === undefined) return `lacks the entry before ${record.first}: the next one has no place`
    const wrong = chain(digest, before, record.entries).findIndex(({ hash }, at) => hash !== record.entries[at]?.hash)
    if (wrong !== -1) return `has an entry ${record.first + wrong} that does not follow from the entries before it`
    log.cut(record.first)
    log.append(record.entries)
  }
  return undefined
}
