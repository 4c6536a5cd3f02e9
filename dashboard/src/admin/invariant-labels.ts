/** What each invariant means to people, by the name that the API gives it. */

type InvariantLabel = { readonly title: string; readonly description: string };

export const invariantLabels: Readonly<Record<string, InvariantLabel>> = {
  'granted = available + reserved + spent + suspended': {
    title: 'Balances add up',
    description:
      'Credits granted to an account are available, reserved, spent or suspended, and every ' +
      'entry of its history follows from the one before.',
  },
  'reserved = sum over unsettled tasks': {
    title: 'Reserved credits belong to running tasks',
    description: 'What an account has reserved is exactly what its unfinished tasks cost.',
  },
  'each final task has exactly one settlement, and it is the one its billing status says': {
    title: 'Every finished task is billed once',
    description:
      'Each was charged or refunded exactly once, for its credits, as its billing status says.',
  },
  'each acknowledged create exists': {
    title: 'No accepted task is lost',
    description: 'Every create request that was accepted has its task, and its work is scheduled.',
  },
  'each final task with a callback_url has a delivery': {
    title: 'No webhook is lost',
    description: 'Every finished task with a callback_url has a webhook that was sent or will be.',
  },
};
