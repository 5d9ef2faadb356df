/** The attributes of a member of this experiment. */
export const NUMBERS = Array.from({ length: 20 }, (_, at) => `value.number_${at}`)
export const TEXTS = NUMBERS.map((_, at) => `value.text_${at}`)
