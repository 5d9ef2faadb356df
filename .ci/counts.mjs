// Prints the counts of a vitest JSON report on one line. Runs on any Node, since the report may be missing because nothing was installed.
import { readFileSync } from 'node:fs'

let report
try {
  report = JSON.parse(readFileSync(process.argv[2], 'utf8'))
} catch {
  report = { success: false, numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, testResults: [] }
}
// A file that can't be loaded holds no tests to fail, but it is a failure.
const unloaded = report.testResults.filter(
  (file) => file.status === 'failed' && file.assertionResults.every((test) => test.status !== 'failed'),
).length
let failed = report.numFailedTests + unloaded
if (!report.success && failed === 0) failed = 1
console.log(`${report.numPassedTests} passed, ${failed} failed, ${report.numPendingTests + report.numTodoTests} skipped`)
process.exitCode = failed > 0 ? 1 : 0
