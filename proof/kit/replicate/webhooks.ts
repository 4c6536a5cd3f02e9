/** Replicate's webhooks: the body is the prediction, as a GET returns it. */
export {
  type SignedWebhook as SignedReplicateWebhook,
  signWebhook,
  webhookSecret,
} from '../signed-webhook.ts';
