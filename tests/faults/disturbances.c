#include "tests/faults/disturbances.h"

#include "tests/faults/world.h"

/* At that time the job's time is over: all ranks that have not ended are killed. */
static void walltime_end(double at_s)
{
    for (int rank = 0; rank < world.ranks; rank++)
        world_event(at_s, EVENT_KILL, rank, 0, NULL);
}

/* A master that is stopped makes all wait until they are killed. */
static void stop_draw(double at_s, int rank)
{
    struct dice *dice = &world.dice;
    world_event(at_s, EVENT_STOP, rank, 0, NULL);
    if (dice_hit(dice, 0.7))
        world_event(at_s + dice_about(dice, 0.1, 100), EVENT_CONTINUE, rank, 0, NULL);
    else if (rank == 0)
        walltime_end(at_s + dice_about(dice, 1, 1000));
}

void disturbances_draw(double work_s)
{
    struct dice *dice = &world.dice;
    const int count = (int)dice_below(dice, 5);
    for (int k = 0; k < count; k++) {
        const int rank = (int)dice_below(dice, (uint64_t)world.ranks);
        const double at_s =
            dice_hit(dice, 0.2) ? dice_about(dice, 1e-4, 0.2) : dice_between(dice, 0, work_s);
        switch (dice_below(dice, 8)) {
        case 0:
        case 1:
        case 2:
            world_event(at_s, EVENT_KILL, rank, 0, NULL);
            break;
        case 3:
        case 4:
            stop_draw(at_s, rank);
            break;
        case 5:
            world_event(at_s, EVENT_ASK, rank, 0, NULL);
            break;
        default:
            world_event(at_s, EVENT_JUMP, rank, dice_about(dice, 0.1, 30), NULL);
            break;
        }
    }
    if (dice_hit(dice, 0.02))
        walltime_end(dice_between(dice, 0, work_s));
}
