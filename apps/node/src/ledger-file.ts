import { verifyFile, type VerifiedFile } from '@jel/ledger/verify'
import { jsonText, oneLine } from './base/text.ts'
import { counted } from './events/quantity.ts'

/** Checks the file of a ledger without a node, and shows what it has. */
export async function verifyLedger(path: string, { json = false }: { readonly json?: boolean }): Promise<void> {
  const verified = await verifyFile(path)
  const lines = json ? [jsonText({ event: 'verified', time: Date.now(), ...verified })] : verifiedText(verified)
  for (const line of lines) process.stdout.write(`${line}\n`)
}

export function verifiedText(verified: VerifiedFile): string[] {
  const { pool, id, ledger, seat, term, votedFor, snapshotIndex, lastIndex, lastHash, configuration, torn } = verified
  const kept = lastIndex - snapshotIndex
  const lines: readonly (readonly [string, string])[] = [
    ['pool', pool],
    ['member', id],
    ['ledger', ledger],
    ['seat', seat],
    ['term', `${term}${votedFor === undefined ? '' : `, vote for ${votedFor}`}`],
    ['last index', `${lastIndex}, hash ${lastHash}`],
    ['entries', `${kept}${snapshotIndex === 0 ? '' : `, behind a snapshot at ${snapshotIndex}`}`],
    ...configuration.groups.flatMap(groupLines),
    ...(torn === 0 ? [] : [['behind it', `${counted(torn, 'byte')} of a torn last write: the next start cuts them off`] as const]),
  ]
  return lines.map(([what, value]) => `${what.padEnd(12)} ${oneLine(value)}`)
}

/** A change of voters has two groups: more than half of each must agree. */
function groupLines(
  group: VerifiedFile['configuration']['groups'][number],
  at: number,
  { length }: readonly unknown[],
): (readonly [string, string])[] {
  const which = length === 1 ? '' : ` ${at + 1}`
  if ('seats' in group) return group.seats.map((seat) => [`voter${which}`, seat] as const)
  if ('ids' in group) return group.ids.map((id) => [`founder${which}`, id] as const)
  return [[`founders${which}`, `more than half of ${group.anyOf} nodes`]]
}
