/** Checks the delivery log of a hostile receiver and the cost of its webhooks. */
import type { Client } from '../../kit/service.ts';
import type { HostileReceiver } from './hostile-receivers.ts';
import type { ReceiverFixture } from './receiver-fixture.ts';

/** As the admin API shows it, the newest attempt first. */
export type Delivery = {
  readonly id: string;
  readonly task_id: string;
  readonly status: 'pending' | 'delivered' | 'exhausted';
  readonly body: string;
  readonly attempts: readonly {
    readonly duration_ms: number;
    readonly answer_status: number | null;
    readonly answer_body: string | null;
    readonly error: string | null;
  }[];
};

/** Twice the limit of the contract, for a busy machine. */
const connectionMsMax = 30_000;
/** What the kernel buffers of a connection can hold before anything is read. */
const bytesMax = 16 * 1024 * 1024;
const responseCharactersMax = 2048;

export async function readDeliveries(admin: Client, accountId: string): Promise<Delivery[]> {
  const { body } = await admin.get(`/admin/accounts/${accountId}/deliveries?limit=100`);
  return body.items as Delivery[];
}

export function receiverViolations(
  fixture: ReceiverFixture,
  delivery: Delivery | undefined,
  { attemptsMax }: { attemptsMax: number },
): string[] {
  const describe = (what: string) => `a receiver that ${fixture.receiver.name}: ${what}`;
  if (delivery === undefined) return [describe('its webhook is still pending')];
  return [
    ...logViolations(fixture.receiver, delivery, attemptsMax),
    ...costViolations(fixture, delivery),
  ].map(describe);
}

function logViolations(
  { ends }: HostileReceiver,
  delivery: Delivery,
  attemptsMax: number,
): string[] {
  const { status, attempts } = delivery;
  const isGood = typeof ends === 'number' && ends >= 200 && ends <= 299;
  const expected = isGood ? 'delivered after 1' : `exhausted after ${attemptsMax}`;
  const actual = `${status} after ${attempts.length}`;
  const isEnd = (status: number | null, error: string | null) =>
    typeof ends === 'number' ? status === ends : ends.some((code) => code === error);
  return [
    ...(actual === expected ? [] : [`${actual} attempts, not ${expected}`]),
    ...attempts
      .filter(({ answer_status, error }) => !isEnd(answer_status, error))
      .map(({ answer_status, error }) => `an attempt ended as ${answer_status ?? error}`),
    ...attempts
      .filter(({ answer_body }) => (answer_body ?? '').length > responseCharactersMax)
      .map(({ answer_body }) => `${answer_body?.length} characters of its answer were kept`),
  ];
}

function costViolations(fixture: ReceiverFixture, { id, body, attempts }: Delivery): string[] {
  const cost = fixture.cost();
  const strange = cost.messages.filter((message) => message !== `${id} ${body}`);
  return [
    ...(cost.connections === attempts.length
      ? []
      : [`${cost.connections} connections for ${attempts.length} attempts`]),
    ...(cost.openMost > 1 ? [`${cost.openMost} connections at once`] : []),
    ...(cost.openNow > 0 ? [`${cost.openNow} connections left open`] : []),
    ...(cost.longestMs > connectionMsMax ? [`held on for ${cost.longestMs} ms`] : []),
    ...(cost.bytesMost > bytesMax ? [`took ${cost.bytesMost} bytes of it`] : []),
    ...strange.map((message) => `got another message: ${message.slice(0, 200)}`),
  ];
}
