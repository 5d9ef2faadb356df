import { computeFaults } from './compute-faults.ts'
import { lostTaskFaults } from './lost-task-faults.ts'
import { gridFaults } from './grid-faults.ts'
import { groupFaults } from './group-faults.ts'
import { patternFaults } from './pattern-faults.ts'
import { historyFaults } from './history-faults.ts'
import { ledgerFaults } from './ledger-faults.ts'
import { ledgerShellFaults } from './ledger-shell-faults.ts'
import { protocolFaults } from './protocol-faults.ts'
import { savedFaults } from './saved-faults.ts'
import { serviceFaults } from './service-faults.ts'
import { shellFaults, type ShellFault } from './shell-faults.ts'
import { showFaults } from './show-faults.ts'
import { watchFaults } from './watch-faults.ts'

/** Each of these faults has one test file that must find it. `faults.ts` has the others. */
export const singleTestFaults: readonly ShellFault[] = [
  ...protocolFaults,
  ...shellFaults,
  ...gridFaults,
  ...watchFaults,
  ...groupFaults,
  ...patternFaults,
  ...savedFaults,
  ...serviceFaults,
  ...showFaults,
  ...computeFaults,
  ...lostTaskFaults,
  ...ledgerFaults,
  ...ledgerShellFaults,
  ...historyFaults,
]
