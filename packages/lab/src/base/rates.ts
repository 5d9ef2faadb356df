/** Rates of counters. */

type Counts<Name extends string> = Readonly<Record<Name, number>>

/** Returns the growth of each counter a second while `pass` runs. */
export async function rates<const Name extends string>(
  take: () => Counts<Name> | Promise<Counts<Name>>,
  pass: () => Promise<unknown>,
): Promise<Counts<Name>> {
  const [before, start] = [await take(), performance.now()]
  await pass()
  const [seconds, after] = [(performance.now() - start) / 1000, await take()]
  const names = Object.keys(after) as Name[]
  return Object.fromEntries(names.map((name) => [name, (after[name] - before[name]) / seconds])) as Counts<Name>
}
