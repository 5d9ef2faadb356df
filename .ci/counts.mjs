// Prints the failed tests of vitest JSON reports, the slowest tests, and last the counts on one
// line. It runs on any Node, since a failed install may be the reason why a report is missing.
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

const total = { passed: 0, failed: 0, skipped: 0 }
/** Lists of times in ms. A file takes from its first test to the end of its last one. */
const lists = []
for (const file of process.argv.slice(2)) {
  let report
  try {
    report = JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    report = { success: false, numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, testResults: [] }
  }
  const [tests, files] = [[], []]
  lists.push({ what: `tests of ${file}`, times: tests }, { what: `files of ${file}`, times: files })
  let failed = report.numFailedTests
  for (const { name, status, message, assertionResults, startTime, endTime } of report.testResults) {
    const path = relative('.', name)
    files.push({ time: endTime - startTime, text: path })
    tests.push(...assertionResults.map(({ duration = 0, fullName }) => ({ time: duration, text: `${path}: ${fullName}` })))
    const failures = assertionResults.filter((test) => test.status === 'failed')
    for (const test of failures) console.log(`failed: ${name}: ${test.fullName}\n${test.failureMessages.join('\n')}`)
    // A file that can't be loaded holds no tests to fail, but it is a failure.
    if (status !== 'failed' || failures.length > 0) continue
    failed += 1
    console.log(`failed to load: ${name}\n${message}`)
  }
  total.passed += report.numPassedTests
  total.failed += report.success || failed > 0 ? failed : 1
  total.skipped += report.numPendingTests + report.numTodoTests
}
for (const { what, times } of lists) {
  console.log(`the ten slowest ${what}, in seconds:`)
  const slowest = times.sort((a, b) => b.time - a.time).slice(0, 10)
  for (const { time, text } of slowest) console.log(`${(time / 1000).toFixed(1).padStart(6)} ${text}`)
}
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`)
process.exitCode = total.failed > 0 ? 1 : 0
