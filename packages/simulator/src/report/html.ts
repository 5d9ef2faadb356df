import type { Scenario } from '../scenario/scenario.ts'
import { writeScenario } from '../scenario/write.ts'
import type { Outcome } from './outcome.ts'
import { bySettings } from './settings.ts'
import { summaryOf } from './summary.ts'

/** Returns a report as one HTML file that needs no other file. `plots` are SVG documents. */
export function htmlReport(scenario: Scenario, outcomes: readonly Outcome[], plots: readonly string[], command: string): string {
  const settings = bySettings(outcomes)
  const { failures } = summaryOf(outcomes)
  const broken = failures.map(({ title, text }) => `<details><summary>${escape(title)}</summary><pre>${escape(text)}</pre></details>`)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(scenario.name)}</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222; background: #fff }
table { border-collapse: collapse; width: 100% }
td, th { text-align: left; padding: 0.25rem 0.75rem 0.25rem 0; border-bottom: 1px solid #ddd; vertical-align: top }
.held td:first-child { color: #00704f }
.broken td:first-child { color: #b3261e; font-weight: bold }
pre { background: #f5f5f5; padding: 1rem; overflow-x: auto; font-size: 13px }
figure { margin: 2rem 0; overflow-x: auto }
</style>
</head>
<body>
<h1>${escape(scenario.name)}</h1>
<p>${escape(scenario.description)}</p>
<p>${outcomes.length} ${outcomes.length === 1 ? 'run' : 'runs'}; repeat with <code>${escape(command)}</code></p>
${settings.map(({ set, outcomes: runs }) => `${set.length === 0 ? '' : `<h2>${escape(set.join(', '))}</h2>\n`}${table(runs)}`).join('\n')}
${broken.join('\n')}
${plots.map((plot) => `<figure>${plot.replace(/^<\?xml[^>]*>/u, '')}</figure>`).join('\n')}
<h2>The scenario</h2>
<pre>${escape(writeScenario(scenario))}</pre>
</body>
</html>
`
}

function table(outcomes: readonly Outcome[]): string {
  const rows = summaryOf(outcomes).lines.map(
    ({ held, what, runs, seen }) =>
      `${held === undefined ? '<tr><td>' : held ? '<tr class="held"><td>held' : '<tr class="broken"><td>broken'}</td><td>${escape(what)}</td><td>${escape(runs)}</td><td>${escape(seen)}</td></tr>`,
  )
  return `<table><thead><tr><th></th><th>what</th><th>runs</th><th>seen</th></tr></thead><tbody>
${rows.join('\n')}
</tbody></table>`
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
