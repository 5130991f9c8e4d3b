/*
 * COIN-OR Clp by its C interface. A shared library is loaded at its first use: with the linear
 * algebra that it depends on, loading takes longer than that of all other libraries of a rank
 * together, and few processes solve a linear program.
 */
#ifndef PLANNER_SCHEDULERS_OPTIMAL_CLP_H
#define PLANNER_SCHEDULERS_OPTIMAL_CLP_H

#include <Clp_C_Interface.h>

/* The functions in use. */
#define CLP_FUNCTIONS(function)                                                                    \
    function(addRows) function(columnLower) function(columnUpper) function(copyinStatus)           \
        function(deleteModel) function(getColSolution) function(getColumnStatus)                   \
            function(getRowStatus) function(initialDualSolve) function(newModel)                   \
                function(numberIterations) function(objective) function(objectiveValue)            \
                    function(primal) function(resize) function(setColumnStatus)                    \
                        function(setLogLevel) function(setMaximumIterations)                       \
                            function(setRowStatus) function(status)

/* The functions by their names without Clp_. */
struct clp {
#define CLP_MEMBER(name) __typeof__(Clp_##name) *(name);
    CLP_FUNCTIONS(CLP_MEMBER)
#undef CLP_MEMBER
};

/* May be called by any thread. NULL: Clp is not installed on this machine. */
const struct clp *clp_load(void);

#endif
