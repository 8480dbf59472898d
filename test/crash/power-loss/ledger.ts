import { statSync } from 'node:fs';

/** An instant of a recorded run: the length of the journal. */
export class Ledger {
  /** When answers came, which is when something was promised. */
  readonly answers: number[] = [];

  constructor(private readonly journal: string) {}

  now(): number {
    return statSync(this.journal).size;
  }
}

interface Step<State> {
  readonly begun: number;
  readonly answered: number;
  readonly state: State;
}

/** The history of one object, as its client has seen it. */
export class History<State> {
  private readonly steps: Step<State>[];

  constructor(
    private readonly ledger: Ledger,
    first: State,
  ) {
    this.steps = [{ begun: 0, answered: 0, state: first }];
  }

  /** Sends a request to the service. `stateOf` is the state after its response. */
  async step<Answer>(
    ask: () => Promise<Answer>,
    stateOf: (answer: Answer) => State,
  ): Promise<Answer> {
    const begun = this.ledger.now();
    const answer = await ask();
    const answered = this.ledger.now();
    this.ledger.answers.push(answered);
    this.steps.push({ begun, answered, state: stateOf(answer) });
    return answer;
  }

  get last(): State {
    const step = this.steps.at(-1);
    if (step === undefined) throw new Error('a history has a beginning');
    return step.state;
  }

  /**
   * What must be so at an instant: `sure` has been answered; of `open`, which was asked for and not answered, each may be
   * so as well. `before` it were these.
   */
  at(instant: number): { before: readonly State[]; sure: State; open: readonly State[] } {
    const begun = this.steps.filter((step) => step.begun <= instant);
    const answered = begun.filter((step) => step.answered <= instant);
    const open = begun.filter((step) => step.answered > instant).map(({ state }) => state);
    const last = answered.pop();
    if (last === undefined) throw new Error('a history has a beginning');
    return { before: answered.map(({ state }) => state), sure: last.state, open };
  }
}
