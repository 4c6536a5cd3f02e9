/** What a live task that the built-in preview makes is called, for people and for programs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { SummaryResponse } from '@vidgen/contract/admin-system.ts';
import { AdminTask, AdminTaskDetail } from '@vidgen/contract/admin-tasks.ts';
import { TaskStatusResponse } from '@vidgen/contract/task-status.ts';
import { textToVideo } from '../../../proof/kit/journey.ts';
import { useService } from '../../../proof/kit/service.ts';

const renderer = fileURLToPath(import.meta.resolve('../../../proof/kit/fake-renderer.ts'));
const service = await useService({ renderer });

test('marks live tasks of the preview as previews, and leaves /v1 as it is', async () => {
  const account = await service.account({ live: 100 });
  const final = await account.client.run(textToVideo);
  const { id } = final;
  assert.equal(final.billing_status, 'charged');
  assert.deepEqual(
    Object.keys(final).filter((name) => !(name in TaskStatusResponse.shape)),
    [],
  );
  const read = async (path: string) => (await service.admin.get(path)).body;
  assert.equal(AdminTaskDetail.parse(await read(`/admin/tasks/${id}`)).preview, true);
  const { items } = (await read('/admin/tasks')) as { items: unknown[] };
  assert.deepEqual(
    items.map((item) => AdminTask.parse(item).preview),
    [true],
  );
});

test('says that no provider is connected', async () => {
  const { body } = await service.admin.get('/admin/summary');
  assert.equal(SummaryResponse.parse(body).no_provider, true);
});
