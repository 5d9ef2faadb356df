import { expect, it } from 'vitest'
import { Assets } from './assets.ts'

it('all modules of the page are found where they import each other, in a checkout', () => {
  const assets = new Assets()
  const paths = new Set(['/page.js'])
  for (const path of paths) {
    const text = assets.find(path)?.plain.toString() ?? ''
    expect([path, text]).not.toEqual([path, ''])
    for (const [, target = ''] of text.matchAll(/from '([^']+)'/gu)) paths.add(new URL(target, `http://localhost${path}`).pathname)
  }
  expect([...paths]).toEqual(expect.arrayContaining(['/model.ts', '/model/pool.ts', '/model/history.ts']))
})

it('no other file is found', () => {
  const assets = new Assets()
  for (const path of ['/server.ts', '/../server.ts', '/agent/agent.ts', '/model/../join.ts', '/model/pool.test.ts', '/none.js']) {
    expect(assets.find(path)).toBeUndefined()
  }
})
