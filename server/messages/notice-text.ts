/**
 * The title and message of a notice, the same in the dashboard, in mail and in the webhook. What
 * others chose is plain in them; `detail` has it as it is.
 */
import { plainName } from './mail-text.ts';
import type { NewNotice } from './notice.ts';

export type NoticeText = {
  readonly title: string;
  readonly message: string;
  /** The page of the dashboard to open, and the label of its link. */
  readonly page: string;
  readonly label: string;
};

const amount = (credits: number): string =>
  `${credits.toLocaleString('en-US')} ${credits === 1 ? 'credit' : 'credits'}`;

/** `accountName` is null for notices of the installation. */
export function noticeText(notice: NewNotice, accountName: string | null): NoticeText {
  const name = accountName === null ? 'this account' : plainName(accountName);
  const accountPage = `/accounts/${notice.accountId}`;
  switch (notice.kind) {
    case 'low_balance': {
      const { available, threshold } = notice.detail;
      return {
        title: `Low balance: ${name}`,
        message:
          available === 0
            ? `${name} has no credits left. New tasks are rejected until credits are added.`
            : `${name} had ${amount(available)} left, below the alert at ${amount(threshold)}. ` +
              'New tasks are rejected when credits run out.',
        page: `${accountPage}/credits`,
        label: 'Add credits',
      };
    }
    case 'refund_waiting': {
      const { credits } = notice.detail;
      return {
        title: `Refund needs review: ${name}`,
        message:
          `A refund of ${amount(credits)} couldn’t be booked and is suspended until an ` +
          'administrator resolves it.',
        page: '/operator/refunds',
        label: 'Review refunds',
      };
    }
    case 'provider_breaker_open': {
      const { error } = notice.detail;
      const provider = plainName(notice.detail.provider);
      return {
        title: `Provider unavailable: ${provider}`,
        message:
          `${provider} failed several times in a row and gets no new tasks until it recovers.` +
          (error === null ? '' : ` Last error: “${plainName(error)}”`),
        page: '/operator/providers',
        label: 'View providers',
      };
    }
    case 'webhook_failing': {
      const { url, deliveries } = notice.detail;
      return {
        title: `Webhook endpoint failing: ${name}`,
        message:
          `The last ${deliveries} webhooks to ${plainName(new URL(url).host)} failed after all ` +
          'retries. Fix the endpoint, then replay them.',
        page: `${accountPage}/webhooks`,
        label: 'View webhooks',
      };
    }
    case 'key_cap_reached': {
      const { key_name: keyName, cap, period } = notice.detail;
      const key = plainName(keyName);
      return {
        title: `Spending cap reached: ${key}`,
        message:
          `The API key “${key}” of ${name} has reached its cap of ${amount(cap)} ` +
          `${periodText(period)}. ` +
          'Its requests are rejected until the cap is raised or the period ends.',
        page: `${accountPage}/keys`,
        label: 'View API keys',
      };
    }
    default:
      return businessText(notice);
  }
}

const money = (value: number, currency: string): string => `${value.toFixed(2)} ${currency}`;

const marginPage = (search: string) => ({
  page: `/operator/margin?${search}`,
  label: 'View margin',
});

type BusinessKind =
  | 'negative_margin'
  | 'cost_unknown'
  | 'bill_differs'
  | 'model_retires'
  | 'canary_failed';

function businessText(notice: Extract<NewNotice, { readonly kind: BusinessKind }>): NoticeText {
  switch (notice.kind) {
    case 'negative_margin': {
      const { model, provider, day, tasks, revenue, cost, currency } = notice.detail;
      return {
        title: `Sold at a loss: ${plainName(model)}`,
        message:
          `On ${day}, ${tasks} videos of ${plainName(model)} at ${plainName(provider)} earned ` +
          `${money(revenue, currency)} and cost ${money(cost, currency)}.`,
        ...marginPage(`by=model&since=${day}&until=${day}`),
      };
    }
    case 'cost_unknown': {
      const { day, attempts, unknown } = notice.detail;
      return {
        title: 'Costs are unknown',
        message:
          `The cost of ${unknown} of ${attempts} attempts on ${day} is unknown. Declare what ` +
          'their providers cost, or upload their bills.',
        ...marginPage(`by=provider&since=${day}&until=${day}`),
      };
    }
    case 'bill_differs': {
      const { provider, differs, twice } = notice.detail;
      return {
        title: `Bill differs: ${plainName(provider)}`,
        message:
          `${plainName(provider)} billed ${differs} ${differs === 1 ? 'video' : 'videos'} at ` +
          `another amount than expected, and ${twice} twice.`,
        ...marginPage('by=provider'),
      };
    }
    case 'model_retires': {
      const { model, retires, days } = notice.detail;
      return {
        title: `Model retires: ${plainName(model)}`,
        message:
          `The vendor stops making ${plainName(model)} on ${retires}, ` +
          `${days === 0 ? 'today' : days === 1 ? 'tomorrow' : `in ${days} days`}. Tell its ` +
          'customers, and offer another model.',
        page: '/operator/models',
        label: 'View models',
      };
    }
    case 'canary_failed': {
      const { model, provider, day, problem } = notice.detail;
      return {
        title: `Canary failed: ${plainName(model)}`,
        message:
          `The test video of ${plainName(model)} at ${plainName(provider)} on ${day} is not as ` +
          `declared: “${plainName(problem)}”`,
        page: '/operator/providers',
        label: 'View providers',
      };
    }
  }
}

const periodText = (period: string): string => (period === 'total' ? 'in total' : `per ${period}`);
