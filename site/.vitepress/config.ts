import { existsSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { defineConfig } from 'vitepress'
import root from '../../package.json' with { type: 'json' }

const checkout = join(import.meta.dirname, '../..')
const repository = root.repository.url.replace(/^git\+|\.git$/gu, '')

/** The pages and their order. The documents stay in place, readable as plain files on a forge. */
const pages = {
  Start: [
    ['What it is', '/overview'],
    ['Tutorial', '/docs/tutorial'],
    ['Computing', '/docs/compute'],
    ['Sweeps', '/docs/sweeps'],
    ['Simulating', '/docs/simulator'],
    ['Beside Serf and others', '/docs/comparison'],
  ],
  Operate: [
    ['Operations', '/docs/operations'],
    ['Keys at run time', '/docs/keys'],
    ['Deployment', '/docs/deployment'],
    ['Monitoring', '/docs/monitoring'],
    ['Attributes', '/docs/attributes'],
    ['One order, one winner', '/docs/consistency'],
    ['Leases', '/docs/leases'],
    ['Groups', '/docs/groups'],
    ['Services', '/docs/services'],
    ['Troubleshooting', '/docs/troubleshooting'],
    ['A first hour', '/docs/friction'],
    ['Upgrading', '/docs/upgrading'],
    ['Security', '/SECURITY'],
    ['Changes', '/CHANGELOG'],
  ],
  Reference: [
    ['Command line', '/apps/node/'],
    ['Library', '/packages/jel/'],
    ['Specification', '/docs/specification'],
    ['Constants', '/docs/constants'],
    ['Scenario files', '/docs/scenarios'],
    ['Jobs: limits and votes', '/docs/compute-reference'],
    ['JEL and the interface', '/docs/jel-api'],
    ['Glossary', '/docs/glossary'],
  ],
  Inside: [
    ['Architecture', '/docs/architecture'],
    ['Protocol', '/docs/protocol'],
    ['Decisions', '/docs/decisions/'],
    ['Attacks', '/docs/attacks'],
    ['Benchmarks', '/docs/benchmarks'],
    ['Ablation', '/docs/ablation'],
    ['Simulated and real', '/docs/fidelity'],
    ['Computing, measured', '/docs/compute-benchmarks'],
    ['The paper’s experiments', '/docs/jel-paper'],
    ['Laboratory', '/docs/lab'],
    ['Working on jel', '/CONTRIBUTING'],
  ],
} as const

export default defineConfig({
  title: 'jel',
  description: root.description,
  srcDir: '..',
  srcExclude: ['**/node_modules/**', 'site/**', 'release/**', '.changeset/**', '**/fixtures/**'],
  rewrites: pathOf,
  cleanUrls: false,
  lastUpdated: false,
  markdown: {
    config: (markdown) => {
      markdown.core.ruler.push('links that leave the site', (state) => {
        const { relativePath } = state.env as { relativePath: string }
        for (const { children } of state.tokens) {
          for (const token of children ?? []) {
            const target = token.type === 'link_open' ? token.attrGet('href') : null
            if (target !== null) token.attrSet('href', pageOf(target, dirname(relativePath)))
          }
        }
      })
    },
  },
  themeConfig: {
    nav: [
      { text: 'Tutorial', link: '/docs/tutorial' },
      { text: 'Operations', link: '/docs/operations' },
      { text: 'Interface', link: '/api/index.html', target: '_self' },
    ],
    sidebar: Object.entries(pages).map(([text, items]) => ({ text, items: items.map(([text, link]) => ({ text, link })) })),
    outline: [2, 3],
    search: { provider: 'local' },
    socialLinks: [{ icon: 'github', link: repository }],
  },
  vite: {
    plugins: [
      {
        // Vue is installed in this folder. Pages are outside of it, and become modules that import
        // Vue.
        name: 'vue from here',
        enforce: 'pre',
        async resolveId(source, importer) {
          if (!/^vue(?:\/|$)/u.test(source) || importer?.endsWith('.md') !== true) return null
          return await this.resolve(source, import.meta.filename, { skipSelf: true })
        },
      },
    ],
  },
  ignoreDeadLinks: [/^\/api\//u],
})

/** Returns the path of the page that a file becomes. */
function pathOf(file: string): string {
  if (file === 'docs/home.md') return 'index.md'
  return file === 'README.md' ? 'overview.md' : file.replace(/README\.md$/u, 'index.md')
}

/**
 * Converts a link of a file for the page that the file becomes. The new link leads to a page, or to
 * the forge if the target is not a page. Throws for a link to a missing file.
 */
function pageOf(target: string, folder: string): string {
  const own = target.startsWith(`${repository}/blob/main/`) || target.startsWith(`${repository}/tree/main/`)
  if (!own && /^(?:[a-z]+:|#)/u.test(target)) return target
  const [path = '', anchor] = (own ? target.replace(/^.*?\/(?:blob|tree)\/main\//u, '') : target).split('#')
  const file = own ? path : join(folder, path)
  if (!existsSync(join(checkout, file))) throw new Error(`dead link in ${folder}: ${target}`)
  if (!file.endsWith('.md') || file.includes('/fixtures/')) return `${repository}/blob/main/${file}`
  const page = relative(dirname(pathOf(join(folder, 'x.md'))), pathOf(file))
  return `${page.startsWith('.') ? page : `./${page}`}${anchor === undefined ? '' : `#${anchor}`}`
}
