// Prints the failed tests of vitest JSON reports, and last the counts on one line. It runs on any
// Node, since a failed install may be the reason why a report is missing.
import { readFileSync } from 'node:fs'

const total = { passed: 0, failed: 0, skipped: 0 }
for (const file of process.argv.slice(2)) {
  let report
  try {
    report = JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    report = { success: false, numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, testResults: [] }
  }
  let failed = report.numFailedTests
  for (const { name, status, message, assertionResults } of report.testResults) {
    const tests = assertionResults.filter((test) => test.status === 'failed')
    for (const test of tests) console.log(`failed: ${name}: ${test.fullName}\n${test.failureMessages.join('\n')}`)
    // A file that can't be loaded holds no tests to fail, but it is a failure.
    if (status !== 'failed' || tests.length > 0) continue
    failed += 1
    console.log(`failed to load: ${name}\n${message}`)
  }
  total.passed += report.numPassedTests
  total.failed += report.success || failed > 0 ? failed : 1
  total.skipped += report.numPendingTests + report.numTodoTests
}
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`)
process.exitCode = total.failed > 0 ? 1 : 0
