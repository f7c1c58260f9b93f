// no manager yet
