export const FEATURE_ORDER: readonly string[];
export function importProblem(file: string, target: string): string | undefined;
