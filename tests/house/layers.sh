#!/usr/bin/env bash
# Includes go one way only. Each room names the rooms below it that it stands on; libraries appear
# only in the rooms that are made for them; the pure rooms neither read, print nor parse.
set -euo pipefail

wrong=0

complain() {
    printf '%s\n' "$@"
    wrong=1
}

# refuse WHY PATTERN PLACE...: no source at these places may have a line that matches.
refuse() {
    local why=$1 pattern=$2 found
    shift 2
    found=$(grep -srnE --include='*.[ch]' "$pattern" "$@" || true)
    [ -z "$found" ] || complain "$why:" "$found"
}

# room ROOM BELOW...: sources directly in ROOM include only it and these.
declare -A known
room() {
    local here=$1 below found
    known[$here]=1
    below=$(IFS='|' && echo "${*}")
    [ -n "$(find "$here" -maxdepth 1 -name '*.[ch]')" ] || complain "no sources in $here/"
    found=$(find "$here" -maxdepth 1 -name '*.[ch]' -exec grep -nHE '^ *# *include *"' {} + |
        grep -vE "\"($below)/[^/]+\"" || true)
    [ -z "$found" ] || complain "$here stands on nothing but $here ${*:2}:" "$found"
}

base=planner/base
model="$base planner/model"
simulate="$model planner/dispatch planner/simulate"
# shellcheck disable=SC2086 # lists of rooms
{
    room planner/base
    room planner/model $base
    room planner/forecast $base
    room planner/strips $model
    room planner/files $model planner/{forecast,strips}
    room planner/dispatch $model
    room planner/simulate $model planner/dispatch
    room planner/schedulers/bounds $model
    room planner/schedulers/search $simulate planner/schedulers/bounds
    room planner/schedulers/scow $base planner/schedulers/search
    room planner/schedulers/rounds $base planner/schedulers/{search,scow}
    room planner/schedulers/optimal $base planner/schedulers/{bounds,search}
    room planner/schedulers $model planner/schedulers/{bounds,search,scow,rounds,optimal}
    room planner/replan $simulate planner/schedulers
    room planner/studies $simulate planner/schedulers planner/schedulers/{bounds,search,scow} \
        planner/{replan,forecast}
    room planner/report/html $base
    room planner/report $simulate planner/{replan,studies}
    room planner/library $simulate planner/{schedulers,files,forecast,replan,studies}
    room planner/command $simulate planner/{strips,schedulers,files,forecast,replan,studies,library,report,report/html}

    room kernel/vector
    room kernel/matched/banks
    room kernel/matched/correlators kernel/vector kernel/matched/banks
    room kernel/matched kernel kernel/vector kernel/matched/{banks,correlators}
    room kernel/command kernel $base
    room kernel/jacobi kernel
    room kernel/library kernel $base
    room kernel/mandelbrot kernel kernel/vector
    room kernel/motif kernel kernel/vector
    room kernel/sleep kernel
    room kernel
    room kernel/tasks kernel kernel/{command,jacobi,library,mandelbrot,matched,motif,sleep}

    room spmd/transport $model planner/dispatch
    room spmd/input $base kernel
    room spmd/job $model planner/files kernel kernel/{command,tasks} spmd/input
    room spmd/layout $model kernel kernel/vector spmd/job
    room spmd/output $model planner/dispatch kernel spmd/{transport,job,layout}
    room spmd/archive $model planner/{strips,files,report,command} kernel kernel/{vector,command,tasks} \
        spmd/{input,job,layout}
    room spmd/resume $model planner/{files,studies} kernel spmd/{input,job,layout,output}
    room spmd/strips $model planner/{files,strips} kernel kernel/jacobi spmd/{transport,job,layout,launch}
    room spmd/launch $model planner/{files,strips} kernel/{vector,command} spmd/{transport,input,job}
    room spmd/node $model
    room spmd/sense $base spmd/{transport,launch,node}
    room spmd/protocol $model planner/{files,dispatch} spmd/{transport,input,job,output,launch}
    room spmd/master $model planner/dispatch spmd/{transport,job,launch,protocol}
    room spmd/worker $base planner/{dispatch,model} spmd/{transport,job,node,protocol}
    room spmd/run $simulate planner/{files,replan,command} kernel kernel/{tasks,vector} \
        spmd/{transport,input,job,output,resume,launch,node,strips,protocol,master,worker}

    room spmd/bench $model planner/{dispatch,command} kernel spmd/{transport,output,launch,protocol,master,worker,run}
    room spmd/chunks $model planner/{dispatch,files} kernel kernel/{vector,command} \
        spmd/{transport,job,launch,protocol,run}
    room spmd/serve $model planner/{files,replan,command} kernel kernel/{vector,command} \
        spmd/{transport,job,output,launch,node,protocol,master,worker,run,chunks}

    room calibrate/fit $model
    room calibrate/go $simulate planner/{schedulers,files,studies,report,command} kernel \
        spmd/{transport,input,job,output,launch,protocol,run} calibrate calibrate/fit
    room calibrate $model planner/command planner/{dispatch,files,schedulers} kernel kernel/{jacobi,vector} \
        spmd/{transport,input,job,output,launch,protocol,master,worker,run,strips} calibrate/fit
    room calibrate/library $base planner/command kernel spmd/{job,run} calibrate calibrate/go
}

rooms=(planner kernel spmd calibrate)
while read -r directory; do
    [ -n "${known[$directory]:-}" ] || complain "$directory/ has sources, but is no room in ${0##*/}"
done < <(find "${rooms[@]}" -name '*.[ch]' -printf '%h\n' | sort -u)

include='^ *# *include *[<"]'
pure=(planner/{base,model,forecast,strips,dispatch,simulate,schedulers} kernel)
refuse 'planner knows no MPI, HDF5, LAPACKE, OpenMP or libpng' "$include(mpi|hdf5|lapacke|omp|png|tiffio)\.h" planner
refuse 'kernel knows no MPI, HDF5, LAPACKE or libpng' "$include(mpi|hdf5|lapacke|png|tiffio)\.h" kernel
mapfile -t without_json < <(find "${pure[@]}" -name '*.[ch]' ! -path kernel/command/json.c)
refuse 'the pure rooms know neither JSON nor cryptography, but for lines that are JSON objects' \
    "$include(jansson\.h|openssl/)" "${without_json[@]}"
refuse 'the pure rooms do not read or print' \
    '\b(v?f?printf|v?dprintf|f?puts|f?putc|putchar|fopen|fread|fwrite|fflush|perror|f?scanf|f?gets|getline)\(' \
    planner/{model,forecast,strips,dispatch,simulate,schedulers} \
    kernel/{vector,command,jacobi,mandelbrot,matched,motif,sleep}
refuse 'LAPACKE is for calibrate alone' "${include}lapacke\.h" spmd
refuse 'fitting knows no MPI' "$include(mpi|omp)\.h" calibrate/fit
refuse 'HDF5 and libpng are for spmd alone' "$include(hdf5|png|tiffio)\.h" calibrate
# MPI has its seam: spmd/transport/link.h. Names of environment variables are no mention.
mapfile -t above < <(find spmd calibrate planner kernel -name '*.[ch]' ! -path 'spmd/transport/*_mpi.[ch]')
refuse 'MPI is for spmd/transport/*_mpi.* alone' \
    "$include(mpi|spmd/transport/link_mpi)\.h|^[^*\"]*\bMPI_[A-Z][A-Za-z0-9]*_?[a-z]*\b *[(;)]|\bMPI_(Request|Status|Comm|File|Offset)\b" "${above[@]}"
refuse 'the transport knows MPI only' "$include(hdf5|png|tiffio)\.h" spmd/transport
mapfile -t portable < <(find kernel -name '*.[ch]' ! -name vector_x86.h)
refuse 'intrinsics are for vector_x86.h alone' "$include([a-z0-9]*intrin\.h|arm_[a-z]*\.h)" "${portable[@]}"
refuse 'the product does not stand on its tests' "${include}tests/" "${rooms[@]}"
refuse 'includes are written from the root' "$include\.\.?/" "${rooms[@]}" tests
exit $wrong
