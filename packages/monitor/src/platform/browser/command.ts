/** A browser runs no commands. */
export async function runCommand(): Promise<never> {
  return await Promise.reject(new Error('a browser runs no commands'))
}
