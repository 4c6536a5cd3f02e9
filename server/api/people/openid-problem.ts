/** A sign-in at the OpenID provider that ends without a session. The page says why. */
import type { OpenIdProblem } from '@vidgen/contract/sign-in.ts';

export class OpenIdError extends Error {
  override readonly name = 'OpenIdError';
  readonly problem: OpenIdProblem;
  constructor(problem: OpenIdProblem) {
    super(problem);
    this.problem = problem;
  }
}
