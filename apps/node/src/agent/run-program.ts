/** The name of the program that runs the file of `jel run`. */
export const RUN_PROGRAM = 'jel.run'
