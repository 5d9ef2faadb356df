/** The form of the id of an Ed25519 key, such as that of a member. */
export const WHOLE_ID = /^12D3KooW[1-9A-HJ-NP-Za-km-z]{44}$/u
