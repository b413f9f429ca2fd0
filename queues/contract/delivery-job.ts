/*
 * The job of the queue `deliveries`: one attempt to deliver an event. The workers add it themselves; no request of the API
 * does.
 */

/** In the place of the name of an operation. */
export const DELIVERY_JOB = 'attemptDelivery';

export interface DeliveryJobBody {
  readonly deliveryId: string;
  readonly claim: number;
}
