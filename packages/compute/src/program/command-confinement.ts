import { existsSync, readdirSync } from 'node:fs'
import { SYSTEM, works, type NamespaceTool } from './confinement-tools.ts'
import type { CommandFolder } from './command-folder.ts'

/** Further read-only folders of programs. */
const PROGRAMS = ['/sbin', '/lib32', '/opt', '/nix/store', '/gnu/store']
/**
 * Files of /etc without which common programs fail. The whole folder may have keys of pools, and
 * root can read the passwords of all users there.
 */
const SETTINGS = ['alternatives', 'fonts', 'group', 'ld.so.cache', 'localtime', 'nsswitch.conf', 'passwd', 'ssl/certs', 'ssl/openssl.cnf']
/** Further folders of /etc: the settings of these languages. */
const LANGUAGES = /^(?:java|python3|R$)/u

/** SIGTERM goes to the whole process group. The confinement ignores it, but the command gets it. */
const SHIELDED = ['env', '--ignore-signal=TERM']
const OPEN = ['env', '--default-signal=TERM']

/** The result of a trial: the confinement that works on this machine. */
let known: Promise<NamespaceTool> | undefined

/**
 * Returns a prefix that confines the command after it. With bubblewrap the command has no network,
 * sees only programs and its own folder, and can write only in its folder. With `unshare` it has no
 * network. With either tool, all processes of the command end with it. Without these tools the
 * prefix is empty.
 *
 * @throws Error with the code `COMMAND_CONFINEMENT_UNKNOWN` if the trial did not end
 */
export async function confined(folder: CommandFolder): Promise<readonly string[]> {
  known ??= find(folder)
  known.catch(() => (known = undefined))
  return prefixes(folder)[await known]
}

/** Whether a prefix hides all home folders from the command. */
export function hidesHome(prefix: readonly string[]): boolean {
  return prefix.includes('bwrap')
}

function prefixes(folder: CommandFolder): Readonly<Record<NamespaceTool, readonly string[]>> {
  return { bubblewrap: bubblewrap(folder), unshare: UNSHARE, none: [] }
}

async function find(folder: CommandFolder): Promise<NamespaceTool> {
  try {
    const { bubblewrap: first, unshare: second } = prefixes(folder)
    if (await works(first, ['/bin/sh', '-c', 'exit 0'])) return 'bubblewrap'
    return (await works(second, ['/bin/sh', '-c', 'exit 0'])) ? 'unshare' : 'none'
  } catch (error) {
    throw Object.assign(error as Error, { code: 'COMMAND_CONFINEMENT_UNKNOWN' })
  }
}

/**
 * The first process of a namespace gets no signals for which it has no handler. So the first
 * process is a shell, and the command is its child.
 */
const UNSHARE = [
  ...SHIELDED,
  ...'unshare --map-current-user --net --ipc --uts --pid --fork --kill-child /bin/sh -c'.split(' '),
  '"$@"; exit $?',
  'sh',
  ...OPEN,
]

function bubblewrap({ base, work, temporary }: CommandFolder): readonly string[] {
  const languages = existsSync('/etc') ? readdirSync('/etc').filter((name) => LANGUAGES.test(name)) : []
  const readable = [...SYSTEM, ...PROGRAMS, ...[...SETTINGS, ...languages].map((name) => `/etc/${name}`)]
  return [
    ...SHIELDED,
    ...'bwrap --unshare-all --die-with-parent --cap-drop ALL --dev /dev --proc /proc'.split(' '),
    ...readable.flatMap((path) => ['--ro-bind-try', path, path]),
    // Some programs ignore TMPDIR, and `multiprocessing` of Python uses /dev/shm. Their temporary
    // files go to the same folder, and count as well.
    ...bound(temporary, '/tmp'),
    ...bound(temporary, '/dev/shm'),
    ...bound(base, base),
    ...'--remount-ro /dev --remount-ro / --chdir'.split(' '),
    work,
    ...OPEN,
  ]
}

function bound(folder: string, path: string): readonly string[] {
  return ['--bind', folder, path]
}
