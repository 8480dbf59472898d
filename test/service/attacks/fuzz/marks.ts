/** Shown nowhere without escaping; see oracles.ts. */
export const MARKUP_MARK = '<zzq x="\'">';
/** A header that no answer has. */
export const HEADER_MARK = 'x-zzq';
